"""Models of ``grammarc serve`` for frameworks that speak OpenAI's protocol: LangChain, Instructor, AutoGen, AG2, CrewAI, pydantic-ai and
OpenAI's Agents SDK.

Each function imports its framework when it is called, and returns the framework's own object with the server's address and what the
server can do, so that nothing has to be learnt twice:

>>> from grammarc.frameworks import langchain
>>> langchain("http://127.0.0.1:8080", temperature=0).with_structured_output(Person)        # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ag2", "autogen", "crewai", "instructor", "langchain", "openai_agents", "pydantic_ai"]

URL = "http://127.0.0.1:8080"
"""Where ``grammarc serve`` listens by default."""

ABILITIES = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
"""What the server can do, in AutoGen's words."""


def langchain(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``langchain_openai.ChatOpenAI``: ``bind_tools``, ``with_structured_output`` (``json_schema`` is the surest method), streams."""
    made = _module("langchain_openai", "langchain-openai")
    return made.ChatOpenAI(base_url=_api(url), api_key=key, model=model, **fields)


def instructor(url: str = URL, *, key: str = "none", mode: str = "JSON_SCHEMA", asynchronous: bool = False, **fields: Any) -> Any:
    """An ``instructor`` client over OpenAI's: ``client.create(response_model=…, model="model", messages=…)``."""
    made, openai = _module("instructor", "instructor"), _module("openai", "openai")
    of = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    return made.from_openai(of(base_url=_api(url), api_key=key, **fields), mode=getattr(made.Mode, mode))


def autogen(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``autogen_ext.models.openai.OpenAIChatCompletionClient``, declared as a model whose outputs are constrained."""
    made = _module("autogen_ext.models.openai", "autogen-ext[openai]")
    return made.OpenAIChatCompletionClient(model=model, base_url=_api(url), api_key=key, model_info=ABILITIES, **fields)


def ag2(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``ag2.config.OpenAIConfig``, for ``ag2.Agent(name, config=…)``."""
    made = _module("ag2.config", "ag2[openai]")
    return made.OpenAIConfig(model=model, base_url=_api(url), api_key=key, **fields)


def crewai(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``crewai.LLM``."""
    made = _module("crewai", "crewai")
    return made.LLM(model=f"openai/{model}", base_url=_api(url), api_key=key, **fields)


def pydantic_ai(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``pydantic_ai.models.openai.OpenAIChatModel``, for ``pydantic_ai.Agent(model, output_type=NativeOutput(Person))``."""
    made, providers = (_module(f"pydantic_ai.{name}.openai", "pydantic-ai-slim[openai]") for name in ("models", "providers"))
    return made.OpenAIChatModel(model, provider=providers.OpenAIProvider(base_url=_api(url), api_key=key), **fields)


def openai_agents(url: str = URL, *, key: str = "none", model: str = "model", **fields: Any) -> Any:
    """``agents.OpenAIChatCompletionsModel`` of OpenAI's Agents SDK, for ``agents.Agent(name, model=…)``. It tells the SDK to send no traces, which
    would go to OpenAI."""
    made, openai = _module("agents", "openai-agents"), _module("openai", "openai")
    made.set_tracing_disabled(True)
    return made.OpenAIChatCompletionsModel(model, openai.AsyncOpenAI(base_url=_api(url), api_key=key, **fields))


def _api(url: str) -> str:
    return url.rstrip("/") + "/v1"


def _module(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install '{package}'") from error
