"""`processor`: the token tables as one portable file, for the matchers in `targets/runtime/`.

The file is safetensors (https://github.com/huggingface/safetensors, format of 2022) with the layout of
`compiler/tokens/portable.py`. Load it with `langc.hf.PolicyLogitsProcessor.from_file` or
`langc.arrays.PolicyProcessor.from_file`. It is exact for every policy, hard or soft. Where very many phrases are
denied it holds the tables without them and the phrases as texts, and `states` counts the former.

A surface is written as data, with its names and without a vocabulary (`compiler/surfaces/portable.py`), for
`load_surface`.
"""

from __future__ import annotations

from langc.compiler.target import EXACT, Artifact, Feature, Request, Support, SurfaceRequest, with_fidelity


class Processor:
    """Emits the portable tables of a policy and a vocabulary."""

    name = "processor"
    suffix = ".safetensors"
    summary = "byte-exact token masks, as a transformers logits processor and for arrays"
    needs_vocabulary = True
    dialects = ()
    features = dict.fromkeys(Feature, Support.EXACT)
    options = ()
    carries_rules = True

    def emit(self, request: Request) -> Artifact:
        """The file. Raises PolicyError if the vocabulary can spell nothing that is permitted."""
        from langc.compiler.tokens.choose import choose_tables
        from langc.compiler.tokens.phrases.tables import PhraseTables
        from langc.compiler.tokens.portable import dumps
        from langc.compiler.tokens.stopping import StoppingTables

        assert request.vocabulary is not None
        tables = choose_tables(request.policy, request.vocabulary)
        header = with_fidelity(request.header, EXACT)
        bound = tables.tables if isinstance(tables, StoppingTables) else tables
        base = bound.base if isinstance(bound, PhraseTables) else bound
        report = {"states": int(base.live.sum()), "tokens": int(base.trie.ids.size)}
        if isinstance(bound, PhraseTables):
            report["phrases"] = len(bound.phrases)
        return Artifact(self.name, None, self.suffix, header, EXACT, data=dumps(tables, header), report=report)

    def emit_surface(self, request: SurfaceRequest) -> Artifact:
        """The surface, its names and its policy as data, from which a matcher is made: JSON, for any vocabulary."""
        from langc.compiler.surfaces.portable import dumps

        header = with_fidelity(request.header, EXACT)
        report = dict(request.surface.environment.counts)
        return Artifact(self.name, None, ".json", header, EXACT, text=dumps(request.surface, header), report=report)


TARGET = Processor()
