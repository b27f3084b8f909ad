"""Every budget of the compiler, in one place.

Policies, grammars and tokenizers may come from strangers: what they can make the compiler spend is
bounded here, each bound is in docs/limits.md, and passing one is a `LimitError` that names it.
"""

from __future__ import annotations

from langc.compiler.diagnostics import Diagnostic, Label

MAX_POLICY_BYTES = 4 << 20
MAX_POLICY_TOKENS = 250_000
"""Words, strings, signs, comments, and single characters inside brackets of one policy file."""
MAX_NESTING = 64
"""Of brackets and parentheses."""
MAX_SET_DEPTH = 2 * MAX_NESTING
"""Of the sets that a set is made of (`[^…]` makes two levels). Everything that walks a set may recurse this deep."""
MAX_SET_RANGES = 2_000_000
"""Of all sets of one policy, counted where they are written down: lets, and the operands of rules."""
MAX_USED_POLICIES = 32
"""That one policy uses, directly or by way of others. Their files together have at most `MAX_POLICY_BYTES`."""
MAX_USE_DEPTH = 8
"""Of policies that use one another in a row."""
MAX_TERM_LENGTH = 1_000
"""In code points. A term that overlaps itself costs a regular expression time with the square of its length."""
MAX_SEQUENCE_LENGTH = 32
"""Characters of one sequence that is no plain term."""
MAX_SEQUENCE_SETS = 256
"""Of all sequences of one policy together. The work on them can grow with the square of this."""
MAX_PHRASE_LENGTH = 1_000
"""In code points."""
MAX_PROTOTYPE_LENGTH = 64
"""Code points that one character is confused with. The longest prototype that Unicode lists has 18."""
MAX_FOLDING_STEPS = 32
"""From a character to what it is confused with at last; a table that takes more leads in circles."""
MAX_COSTS = 16
"""Different costs of the soft rules of one policy: the table of the automaton is there once for each."""
MAX_DIAGNOSTICS = 50
"""Errors, or warnings, reported of one policy file; the rest is noise."""
MAX_NFA_STATES = 200_000
MAX_NFA_EDGES = 1_000_000
MAX_DFA_STATES = 20_000
MAX_BYTE_STATES = 100_000
MAX_GRAMMAR_SIZE = 500_000
MAX_XGRAMMAR_TRANSITIONS = 20_000
"""Of a grammar for xgrammar that is no list of terms: it compiles some thousand a second (docs/targets/xgrammar.md)."""
MAX_XGRAMMAR_RANGES = 500_000
"""Of a grammar for xgrammar that writes classes out where they are used; a larger one shares them."""
MAX_EXPRESSION_SIZE = 50_000
MAX_EXPRESSION_DEPTH = 100
MAX_UNSHARED_SIZE = 200_000
"""Of an expression whose equal parts are written once; what is written has at most `MAX_EXPRESSION_SIZE`."""
MAX_ELIMINATION_WORK = 2_000_000
"""Parts of all expressions that are joined on the way from one automaton to its expression: some seconds. What comes to
an end at all takes a tenth of that."""
MAX_TABLE_CELLS = 20_000_000
"""States times classes of one automaton."""
MAX_SUBSET_MEMBERS = 10_000_000
"""Of all epsilon closures and subsets of one subset construction together; each takes some 40 bytes."""
MAX_VERDICTS = 5_000_000
"""Places times tokens that `scan` judges; a policy with more is reported without verdicts."""
MAX_SCHEMA_BYTES = 1 << 20
MAX_SCHEMA_VALUES = 50_000
"""Of all kinds, in the JSON of one schema."""
MAX_SCHEMA_DEPTH = 64
"""Of lists and objects inside one another: in the JSON of a schema, and in the JSON that it describes."""
MAX_SCHEMA_DIGITS = 100
"""Of one number in a schema, its sign, point and exponent included."""
MAX_ENUM_VALUES = 10_000
MAX_SCHEMA_VARIANTS = 1_000
"""Ways to choose among the schemas of `anyOf` and `oneOf` that hold for one value."""
MAX_SCHEMA_CHOICES = 200
"""Choices among schemas that hold for one value, one after another. Each takes a frame of the stack."""
MAX_SCHEMA_REFERENCES = 500
"""That one leads through to the next, from the outermost value to one inside."""
MAX_SCHEMA_STEPS = 200_000
"""Schemas looked at for one value, each as often as it is."""
MAX_SCHEMA_SIZE = 200_000
"""Nodes and ranges of the expression of a schema, written out: repetitions as often as they may repeat."""
MAX_SPELLING_STATES = 20_000
"""Of the search for a text that some tokens can no longer spell; only odd vocabularies need it at all."""
MAX_TOKENIZER_BYTES = 64 << 20
"""Of a tokenizer file that is read whole (JSON, rank files). The largest known, Gemma's, has 33 MB."""
MAX_JSON_CONTAINERS = 1 << 22
"""Opening brackets in a tokenizer's JSON: three bytes of file can become seventy of memory. Gemma's has 524,245."""
MAX_GGUF_METADATA_BYTES = 64 << 20
"""How far into a GGUF file its metadata may reach; the tensors after them are never read."""
MAX_TOKEN_IDS = 1 << 22
MAX_ARTIFACT_BYTES = 256 << 20
"""Of a file that `verify` reads back. The largest that langc writes are grammars and automata near their own limits."""
MAX_ARTIFACT_TEXT = 16 << 20
"""Bytes of a grammar or an expression that is read back; one at `MAX_GRAMMAR_SIZE` has some ten million."""
MAX_READ_STEPS = 1_000_000
"""Parts of an artefact's text; and those of its rules, counted as often as they are written out."""
MAX_READ_EDGES = 1 << 32
"""Tokens of all states of an automaton that is read back, and of its policy's; a minute of comparing."""
MAX_FSM_RUNS = 5_000_000
"""Of token ids, in all sets of an automaton that is written as JSON."""
MAX_RESPONSE_BYTES = 16 << 20
"""Of one answer of a server that `doctor` asks."""
MAX_RECORDED_BYTES = 64 << 20
"""Of a server's answer with probabilities; 4,000 tokens with 50 alternatives each have some 16 million."""
MAX_TOKEN_BYTES = 1 << 16
"""Of one token. The longest in the vocabularies that the tests know has 128."""
MAX_MENDINGS = 4
"""Times that a text is mended, where what was put in makes another violation with what stands around it."""
MAX_PHRASE_STEPS = 1_000_000
"""Tokens read in one search for an end of the text beside very many phrases; almost always the first one settles it."""
MAX_LOOK_AHEAD_TOKENS = 64
"""That joined matchers still allow together: only so few are tried one by one for a way on."""
MAX_LOOK_AHEAD_STEPS = 256
"""Tokens tried in one such search, in equal shares for each that is left."""

MAX_SURFACE_TEXT = 1 << 20
"""Bytes of one finished text that is checked against a surface."""
MAX_SURFACES = 64
"""Of one file."""
MAX_SURFACE_RULES = 2_000
"""SQL has some seventy."""
MAX_SURFACE_TOKENS = 200
"""Each has an automaton or two."""
MAX_SURFACE_ELEMENTS = 20_000
"""Of all rules of one surface; SQL has some thousand. The checks of a surface can grow with the square of it."""
MAX_SURFACE_THREADS = 4_000
"""At one place of a text; SQL has some forty, and a rule that repeats what reads nothing would have no end."""
MAX_SURFACE_POINTS = 5_000
MAX_SURFACE_CONFIGS = 20_000
"""Places of texts that an engine remembers, between lexemes and anywhere; past them it works them out anew."""
MAX_SURFACE_SHAPE_STATES = 20_000
"""Of the automaton of all tokens of a surface together, a kilobyte each; SQL has some hundred."""
MAX_SURFACE_WAY_STEPS = 1_000
"""Lexemes tried in one search for an end of a text; a statement of SQL that is half written takes some ten."""
MAX_SURFACE_DETOUR = 32
"""Tokens by which one token is taken to lengthen the way to an end at most. Nearer to the end of a budget than that it
is measured."""
MAX_SURFACE_CLOSING_TOKENS = 24
"""Tokens whose way to an end is looked for at one place near the end of a budget; the others are refused there."""
MAX_JOINT_TOKENS = 64
"""That lead a policy beside a surface to one state: of more, a few are looked at for a way to an end of the text."""
MAX_JOINT_NAME_STEPS = 20_000_000
"""Bytes of names times states of a policy: with more, names that it denies are only found where they are written."""
MAX_JOINT_LEXEMES = 1_000
"""Tried in one search for an end of a text of a surface and a policy; with none of them, bytes are tried."""
MAX_JOINT_STEPS = 600
"""Bytes that are then tried."""
MAX_HARMLESS_STEPS = 2_000_000
"""Bytes read by a policy to find the states in which it can do a surface no harm."""
MAX_SURFACE_DEPTH = 4 * MAX_NESTING
"""Elements inside of one another in the file of a surface."""
MAX_SNAPSHOT_RULES = 200_000
"""Of a surface as a grammar, before those that are the same become one."""
MAX_OPEN_NAMES = 12
"""Names promised in one scope whose owners are not decided: the search for owners can grow with 3 to this power."""
MAX_SCOPE_SOURCES = 30
"""Names bound or promised in one scope in which references promise names; past them only what was promised is bound."""
MAX_WORLD_MEMORY = 50_000
"""Answers that a surface's world remembers; one of many names counts for several."""

MAX_ENVIRONMENT_BYTES = 64 << 20
"""Of one file with names; of all files read of one package."""
MAX_ENVIRONMENT_NAMES = 1_000_000
"""Of one source of names, members counted."""
MAX_ENVIRONMENT_DEPTH = 8
"""Of members inside members."""
MAX_ENVIRONMENTS = 32
"""Of one surface."""
MAX_NAME_BYTES = 1_024
"""Of one name, in UTF-8. A longer one is left out."""
MAX_ENTRY_WORDS = 64
"""Attributes of one entry; and numbers."""
MAX_ENVIRONMENT_SECONDS = 20
"""That SQLite, or a tool that lists its options, may take."""
MAX_ARCHIVE_FILES = 20_000
"""Listed in one package; and source files read of it."""
MAX_SOURCE_BYTES = 4 << 20
"""Of one Python file: its syntax tree takes some hundred times as much."""
MAX_SQL_BYTES = 16 << 20
"""Of one SQL schema: it is cut into words at some two million bytes a second."""
MAX_HEADER_TOKENS = 1_000_000
"""Of one C or C++ file."""


def over_limit(what: str, limit: int, primary: Label | None = None, help: str | None = None) -> Diagnostic:
    """The diagnostic of a spent budget."""
    return Diagnostic("LC0701", f"too many {what}: the limit is {limit:,}", primary, help=help)
