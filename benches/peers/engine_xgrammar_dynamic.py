"""XGrammar with `enable_dynamic_compilation`: a mask is made when a step first needs it, and kept with the compiled grammar."""

import engine_xgrammar


class Engine(engine_xgrammar.Engine):
    name = "XGrammar dynamic"
    settings = f"{engine_xgrammar.Engine.settings}, enable_dynamic_compilation, compiled anew for each round"
    is_lazy = True

    def __init__(self, vocabulary):
        super().__init__(vocabulary, enable_dynamic_compilation=True)

    def apply(self, _densities):
        """No figures: the kernel is that of the other mode."""
        return []
