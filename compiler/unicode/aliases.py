"""The names of properties and of those values that no data file here lists, and how names are compared.

Names are as in PropertyAliases.txt and PropertyValueAliases.txt of the Unicode Character Database.
"""

from __future__ import annotations

CATEGORIES: dict[str, tuple[str, ...]] = {
    "Lu": ("Uppercase_Letter",),
    "Ll": ("Lowercase_Letter",),
    "Lt": ("Titlecase_Letter",),
    "Lm": ("Modifier_Letter",),
    "Lo": ("Other_Letter",),
    "Mn": ("Nonspacing_Mark",),
    "Mc": ("Spacing_Mark",),
    "Me": ("Enclosing_Mark",),
    "Nd": ("Decimal_Number", "digit"),
    "Nl": ("Letter_Number",),
    "No": ("Other_Number",),
    "Pc": ("Connector_Punctuation",),
    "Pd": ("Dash_Punctuation",),
    "Ps": ("Open_Punctuation",),
    "Pe": ("Close_Punctuation",),
    "Pi": ("Initial_Punctuation",),
    "Pf": ("Final_Punctuation",),
    "Po": ("Other_Punctuation",),
    "Sm": ("Math_Symbol",),
    "Sc": ("Currency_Symbol",),
    "Sk": ("Modifier_Symbol",),
    "So": ("Other_Symbol",),
    "Zs": ("Space_Separator",),
    "Zl": ("Line_Separator",),
    "Zp": ("Paragraph_Separator",),
    "Cc": ("Control", "cntrl"),
    "Cf": ("Format",),
    "Cs": ("Surrogate",),
    "Co": ("Private_Use",),
    "Cn": ("Unassigned",),
}
"""The 30 values of General_Category, each with its other names."""

CATEGORY_GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "LC": (("Cased_Letter",), ("Lu", "Ll", "Lt")),
    "L": (("Letter",), ("Lu", "Ll", "Lt", "Lm", "Lo")),
    "M": (("Mark", "Combining_Mark"), ("Mn", "Mc", "Me")),
    "N": (("Number",), ("Nd", "Nl", "No")),
    "P": (("Punctuation", "punct"), ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po")),
    "S": (("Symbol",), ("Sm", "Sc", "Sk", "So")),
    "Z": (("Separator",), ("Zs", "Zl", "Zp")),
    "C": (("Other",), ("Cc", "Cf", "Co", "Cn")),
}
"""Unions of categories: other names, and members. `C` is without `Cs`, since surrogates are not scalar values."""

WORD_BREAKS: dict[str, tuple[str, ...]] = {
    "Other": ("XX",),
    "CR": (),
    "LF": (),
    "Newline": ("NL",),
    "Extend": (),
    "ZWJ": (),
    "Regional_Indicator": ("RI",),
    "Format": ("FO",),
    "Katakana": ("KA",),
    "Hebrew_Letter": ("HL",),
    "ALetter": ("LE",),
    "Single_Quote": ("SQ",),
    "Double_Quote": ("DQ",),
    "MidNumLet": ("MB",),
    "MidLetter": ("ML",),
    "MidNum": ("MN",),
    "Numeric": ("NU",),
    "ExtendNumLet": ("EX",),
    "WSegSpace": (),
}
"""The values of Word_Break (UAX #29) that some code point has, each with its other names."""

BINARY: dict[str, tuple[str, ...]] = {
    "Alphabetic": ("Alpha",),
    "ASCII_Hex_Digit": ("AHex",),
    "Bidi_Control": ("Bidi_C",),
    "Case_Ignorable": ("CI",),
    "Cased": (),
    "Dash": (),
    "Default_Ignorable_Code_Point": ("DI",),
    "Diacritic": ("Dia",),
    "Emoji": (),
    "Emoji_Component": ("EComp",),
    "Emoji_Modifier": ("EMod",),
    "Emoji_Modifier_Base": ("EBase",),
    "Emoji_Presentation": ("EPres",),
    "Extended_Pictographic": ("ExtPict",),
    "Extender": ("Ext",),
    "Grapheme_Extend": ("Gr_Ext",),
    "Hex_Digit": ("Hex",),
    "ID_Continue": ("IDC",),
    "ID_Start": ("IDS",),
    "Ideographic": ("Ideo",),
    "Join_Control": ("Join_C",),
    "Lowercase": ("Lower",),
    "Math": (),
    "Noncharacter_Code_Point": ("NChar",),
    "Pattern_Syntax": ("Pat_Syn",),
    "Pattern_White_Space": ("Pat_WS",),
    "Quotation_Mark": ("QMark",),
    "Radical": (),
    "Regional_Indicator": ("RI",),
    "Sentence_Terminal": ("STerm",),
    "Terminal_Punctuation": ("Term",),
    "Unified_Ideograph": ("UIdeo",),
    "Uppercase": ("Upper",),
    "Variation_Selector": ("VS",),
    "White_Space": ("WSpace", "space"),
    "XID_Continue": ("XIDC",),
    "XID_Start": ("XIDS",),
}
"""The binary properties that langc knows, each with its other names. UTS #18 adds Any, ASCII and Assigned."""

SPECIAL: dict[str, tuple[str, ...]] = {"Any": (), "ASCII": (), "Assigned": ()}

YES = ("Yes", "Y", "True", "T")
NO = ("No", "N", "False", "F")

ENUMERATED: dict[str, tuple[str, ...]] = {
    "General_Category": ("gc",),
    "Script": ("sc",),
    "Script_Extensions": ("scx",),
    "Block": ("blk",),
    "Word_Break": ("WB",),
}
"""The properties that need a value, each with its other names."""

UNSUPPORTED: dict[str, tuple[str, ...]] = {
    "Age": (),
    "Bidi_Class": ("bc",),
    "Bidi_Mirrored": ("Bidi_M",),
    "Bidi_Mirroring_Glyph": ("bmg",),
    "Bidi_Paired_Bracket": ("bpb",),
    "Bidi_Paired_Bracket_Type": ("bpt",),
    "Canonical_Combining_Class": ("ccc",),
    "Case_Folding": ("cf",),
    "Changes_When_Casefolded": ("CWCF",),
    "Changes_When_Casemapped": ("CWCM",),
    "Changes_When_Lowercased": ("CWL",),
    "Changes_When_NFKC_Casefolded": ("CWKCF",),
    "Changes_When_Titlecased": ("CWT",),
    "Changes_When_Uppercased": ("CWU",),
    "Composition_Exclusion": ("CE",),
    "Decomposition_Mapping": ("dm",),
    "Decomposition_Type": ("dt",),
    "Deprecated": ("Dep",),
    "East_Asian_Width": ("ea",),
    "Equivalent_Unified_Ideograph": ("EqUIdeo",),
    "Full_Composition_Exclusion": ("Comp_Ex",),
    "Grapheme_Base": ("Gr_Base",),
    "Grapheme_Cluster_Break": ("GCB",),
    "Grapheme_Link": ("Gr_Link",),
    "Hangul_Syllable_Type": ("hst",),
    "Hyphen": (),
    "IDS_Binary_Operator": ("IDSB",),
    "IDS_Trinary_Operator": ("IDST",),
    "IDS_Unary_Operator": ("IDSU",),
    "ID_Compat_Math_Continue": (),
    "ID_Compat_Math_Start": (),
    "Identifier_Status": (),
    "Identifier_Type": (),
    "Indic_Conjunct_Break": ("InCB",),
    "Indic_Positional_Category": ("InPC",),
    "Indic_Syllabic_Category": ("InSC",),
    "Jamo_Short_Name": ("JSN",),
    "Joining_Group": ("jg",),
    "Joining_Type": ("jt",),
    "Line_Break": ("lb",),
    "Logical_Order_Exception": ("LOE",),
    "Lowercase_Mapping": ("lc",),
    "Modifier_Combining_Mark": ("MCM",),
    "NFC_Quick_Check": ("NFC_QC",),
    "NFD_Quick_Check": ("NFD_QC",),
    "NFKC_Casefold": ("NFKC_CF",),
    "NFKC_Quick_Check": ("NFKC_QC",),
    "NFKC_Simple_Casefold": ("NFKC_SCF",),
    "NFKD_Quick_Check": ("NFKD_QC",),
    "Name": ("na",),
    "Name_Alias": (),
    "Numeric_Type": ("nt",),
    "Numeric_Value": ("nv",),
    "Prepended_Concatenation_Mark": ("PCM",),
    "Sentence_Break": ("SB",),
    "Simple_Case_Folding": ("scf",),
    "Simple_Lowercase_Mapping": ("slc",),
    "Simple_Titlecase_Mapping": ("stc",),
    "Simple_Uppercase_Mapping": ("suc",),
    "Soft_Dotted": ("SD",),
    "Titlecase_Mapping": ("tc",),
    "Uppercase_Mapping": ("uc",),
    "Vertical_Orientation": ("vo",),
}
"""Properties that Unicode has and langc has not: they get another message than a misspelling."""

MEANT: dict[str, str] = {
    "chinese": "Han",
    "cjk": "Han",
    "english": "Latin",
    "hanja": "Han",
    "hanzi": "Han",
    "japanese": "Hiragana",
    "kanji": "Han",
    "korean": "Hangul",
    "russian": "Cyrillic",
}
"""Languages and scripts by names that Unicode does not use, and what is most likely meant."""


def loose(name: str) -> str:
    """The key by which names are compared: case, blanks, `_` and `-` do not count (UAX #44, rule LM3).

    The rule's optional prefix `is` is left to the look-up, because it must not shorten a name that begins so.
    """
    return "".join(c for c in name.casefold() if c not in "_- \t")
