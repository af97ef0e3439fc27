"""Plug-ins for serving stacks and model libraries. Each is imported by name, and imports its host only then."""
