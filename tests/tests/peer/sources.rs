//! Pairs of sources for the same language, one for each engine.
//!
//! llguidance reads lexemes greedily, so its side is written in lexemes of which none can go on where another begins:
//! then greediness decides nothing and the Lark is the context-free grammar that it looks like.

use grammarc_benches::{ours, peer};
use ours::Text::{Gbnf, JsonSchema, Natural, Regex};
use peer::Text::{JsonSchema as TheirSchema, Lark, Regex as TheirRegex};

/// One language.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    pub(crate) ours: ours::Text<'static>,
    pub(crate) theirs: peer::Text<'static>,
    /// Texts of the language.
    pub(crate) accepted: &'static [&'static str],
    /// Other texts.
    pub(crate) refused: &'static [&'static str],
}

/// A pattern that both read alike.
const fn pattern(
    name: &'static str,
    pattern: &'static str,
    accepted: &'static [&'static str],
    refused: &'static [&'static str],
) -> Pair {
    Pair { name, ours: Regex(pattern), theirs: TheirRegex(pattern), accepted, refused }
}

/// A schema that both read alike: none that allows numbers or free strings, whose texts differ.
const fn schema(
    name: &'static str,
    schema: &'static str,
    accepted: &'static [&'static str],
    refused: &'static [&'static str],
) -> Pair {
    Pair { name, ours: JsonSchema(schema), theirs: TheirSchema(schema), accepted, refused }
}

const fn grammar(
    name: &'static str,
    ours: &'static str,
    theirs: &'static str,
    accepted: &'static [&'static str],
    refused: &'static [&'static str],
) -> Pair {
    Pair { name, ours: Gbnf(ours), theirs: Lark(theirs), accepted, refused }
}

/// Any JSON value as this project's front end has it: a space after separators or none, shortest escapes, bounded numbers.
pub(crate) const OUR_JSON: &str = r#"
start: value
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" "}" | "{" member (COMMA member)* "}"
member: STRING COLON value
array: "[" "]" | "[" value (COMMA value)* "]"
COMMA: /, ?/
COLON: /: ?/
STRING: /"([^"\\\x00-\x1f]|\\(["\\bfnrt]|u00(0[0-7bef]|1[0-9a-f])))*"/
NUMBER: /-?(0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?([eE][+-]?0{0,4}(0|[1-9][0-9]{0,3}))?/
"#;

/// Any JSON value in compact form, as llguidance has it: every escape of a control character, which to it
/// U+007F is, against RFC 8259, and numbers of any length.
pub(crate) const THEIR_JSON: &str = r#"
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ( member ( "," member )* )? "}"
member ::= string ":" value
array ::= "[" ( value ( "," value )* )? "]"
string ::= "\"" ( [^"\\\x00-\x1F\x7F] | "\\" ( ["\\bfnrt] | "u00" ( [01] [0-9a-fA-F] | "7" [fF] ) ) )* "\""
number ::= "-"? ( "0" | [1-9] [0-9]* ) ( "." [0-9]+ )? ( [eE] [+-]? [0-9]+ )?
"#;

/// Strings of at least four characters and at most ten, in the shortest escapes.
const BOUNDED: &str = r#"
start: /"([^"\\\x00-\x1f]|\\(["\\bfnrt]|u00(0[0-7bef]|1[0-9a-f]))){4,10}"/
"#;

/// A string or null, in the shortest escapes.
const STRING_OR_NULL: &str = r#"
start: STRING | "null"
STRING: /"([^"\\\x00-\x1f]|\\(["\\bfnrt]|u00(0[0-7bef]|1[0-9a-f])))*"/
"#;

/// All pairs.
pub(crate) const PAIRS: &[Pair] = &[
    Pair {
        name: "JSON, any value, our text form",
        ours: Natural("{}"),
        theirs: Lark(OUR_JSON),
        accepted: &[
            r#"{"a": [1,-2.5e+10, "x\n\u0000 é😀",{}],"": null}"#,
            "[[[[[]]]]]",
            "\"\"",
            "0",
            "1e-00001",
        ],
        refused: &[
            "{\"a\" : 1}",
            "[1,  2]",
            "1e000001",
            "01",
            "[1,]",
            r#""\u0041""#,
            "\"a\nb\"",
            "{\"a\":1}}",
        ],
    },
    Pair {
        name: "JSON, any value, llguidance's text form",
        ours: Gbnf(THEIR_JSON),
        theirs: TheirSchema("{}"),
        accepted: &[r#"{"a":[1,-2.5e+10,"x\n\u001F é😀",{}],"":null}"#, "[[[[[]]]]]", "\"\"", "0"],
        refused: &["{\"a\": 1}", "01", "[1,]", r#""\u0041""#, "\"a\nb\"", "{\"a\":1}}"],
    },
    Pair {
        name: "string or null",
        ours: JsonSchema(r#"{"type":["string","null"]}"#),
        theirs: Lark(STRING_OR_NULL),
        accepted: &["null", r#"").)""#, r#""] \n\u0000""#, "\"\""],
        refused: &["nul", "1", r#""\u0041""#, "\"a\"\""],
    },
    Pair {
        name: "string with a bound",
        ours: JsonSchema(r#"{"type":"string","minLength":4,"maxLength":10}"#),
        theirs: Lark(BOUNDED),
        accepted: &[r#""abcd""#, r#""internatio""#, r#""é日😀\n""#, r#"")];\u0000""#],
        refused: &[r#""abc""#, r#""internation""#, r#""\u0041bcd""#],
    },
    grammar(
        "arithmetic with precedence, left-recursive",
        r#"
root ::= sum
sum ::= product | sum [-+] product
product ::= factor | product [*/] factor
factor ::= number | name | name "(" ( sum ( ", " sum )* )? ")" | "(" sum ")" | "-" factor
number ::= [0-9]+ ( "." [0-9]+ )?
name ::= [a-z] [a-z0-9_]*
"#,
        r#"
start: sum
sum: product | sum /[-+]/ product
product: factor | product /[*\/]/ factor
factor: NUMBER | NAME | NAME "(" ")" | NAME "(" sum (", " sum)* ")" | "(" sum ")" | "-" factor
NUMBER: /[0-9]+(\.[0-9]+)?/
NAME: /[a-z][a-z0-9_]*/
"#,
        &["1+2*3", "(((x)))", "f(1, g(), -y_2)/--4.25-(a)", "sum(alpha, beta)*3.14159"],
        &["1++2", "(1", "f(,)", "1 + 2", "2x"],
    ),
    grammar(
        "sums, ambiguous",
        r#"root ::= root "+" root | root "*" root | [0-9]+ | "(" root ")""#,
        "start: start \"+\" start | start \"*\" start | /[0-9]+/ | \"(\" start \")\"\n",
        &["1+2+3*4", "(1+2)*(3+4)", "1234567890", "1+1+1+1+1+1+1+1+1+1"],
        &["1+", "()", "1+(2"],
    ),
    grammar(
        "palindromes of even length",
        r#"root ::= "" | "a" root "a" | "b" root "b""#,
        "start: | \"a\" start \"a\" | \"b\" start \"b\"\n",
        &["", "aa", "abba", "aabbaabbaa", "bbbbbbbbbbbbbbbbbbbbbbbb"],
        &["ab", "a", "abab", "c"],
    ),
    grammar(
        "three kinds of brackets",
        r#"root ::= ( "(" root ")" | "[" root "]" | "{" root "}" )*"#,
        "start: (\"(\" start \")\" | \"[\" start \"]\" | \"{\" start \"}\")*\n",
        &["", "()[]{}", "((([[[{{{}}}]]])))", "{[()()][]}"],
        &["(]", "(()", ")", "{[}]"],
    ),
    grammar(
        "nested lists",
        r#"root ::= "[" ( root ( "," root )* )? "]""#,
        "start: \"[\" (start (\",\" start)*)? \"]\"\n",
        &["[]", "[[],[[]],[[],[]]]", "[[[[[[[[[[]]]]]]]]]]"],
        &["[,]", "[[]", "[][]"],
    ),
    grammar(
        "comma-separated values",
        r#"
root ::= record ( "\r\n" record )*
record ::= field ( "," field )*
field ::= [^\x00-\x1F\x7F",]* | "\"" ( [^\x00-\x1F\x7F"] | [\r\n] | "\"\"" )* "\""
"#,
        r#"
start: record ("\r\n" record)*
record: field ("," field)*
field: | PLAIN | QUOTED
PLAIN: /[^\x00-\x1f\x7f",]+/
QUOTED: /"([^\x00-\x1f\x7f"]|[\r\n]|"")*"/
"#,
        &["a,b\r\n1,\"x, \"\"y\"\"\nz\"", "", "name,größe,名前\r\nbolt,3,ボルト\r\n,,", "\"\""],
        &["a\nb", "\"a", "a\"b", "\"a\"b"],
    ),
    grammar(
        "names with common beginnings",
        r#"root ::= word ( ";" word )*
word ::= "in" | "int" | "integer" | "inter" | "interface" | "internal" | "i" | "intern""#,
        "start: WORD (\";\" WORD)*\nWORD: /in|int|integer|inter|interface|internal|i|intern/\n",
        &["int", "i;in;int;inter;intern;internal", "interface;integer"],
        &["inte", "intss", "int;"],
    ),
    grammar(
        "indirect left recursion",
        r#"root ::= left "x" | "y"
left ::= root "z" | "w" left | "v""#,
        "start: left \"x\" | \"y\"\nleft: start \"z\" | \"w\" left | \"v\"\n",
        &["y", "vx", "yzx", "wwwvxzxzx"],
        &["x", "wy", "yz"],
    ),
    grammar(
        "right recursion",
        r#"root ::= "ab" root | "cd" tail
tail ::= "," root | """#,
        "start: \"ab\" start | \"cd\" tail\ntail: | \",\" start\n",
        &["cd", "ababababababcd", "cd,cd,abcd"],
        &["ab", "cd,", "abab,"],
    ),
    grammar(
        "optional parts that may all be absent",
        r#"root ::= first? second? third?
first ::= "-" | "<" inner ">"
second ::= [0-9]{2,4}
third ::= ":" ( "yes" | "no" )
inner ::= first? second? third?"#,
        "start: inner\nfirst: \"-\" | \"<\" inner \">\"\nsecond: /[0-9]{2,4}/\nthird: \":\" (\"yes\" | \"no\")\ninner: first? second? third?\n",
        &["", "-12:yes", "<<->2024>99:no", "1234"],
        &["1", "12345", "<>:maybe", "::"],
    ),
    grammar(
        "elements that nest",
        r#"
root ::= element
element ::= "<a>" content "</a>" | "<b>" content "</b>" | "<br/>"
content ::= ( element | [^<>&] | "&amp;" | "&lt;" )*
"#,
        r#"
start: element
element: "<a>" content "</a>" | "<b>" content "</b>" | "<br/>"
content: (element | /[^<>&]/ | "&amp;" | "&lt;")*
"#,
        &["<br/>", "<a>some <b>bold &amp; brash</b> text<br/></a>", "<b><b><b></b></b></b>"],
        &["<a>", "<a></b>", "<c></c>", "<a>&gt;</a>"],
    ),
    grammar(
        "symbolic expressions",
        r#"
root ::= atom | "(" ( root ( " " root )* )? ")"
atom ::= [a-z+*-] [a-z0-9+*-]* | [0-9]+ | "\"" [^"\\]* "\""
"#,
        r#"
start: atom | "(" (start (" " start)*)? ")"
atom: /[a-z+*-][a-z0-9+*-]*/ | /[0-9]+/ | /"[^"\\]*"/
"#,
        &["(define (square x) (* x x))", "()", "(print \"héllo\" 42)"],
        &["(a  b)", "(a", "a b", "4x"],
    ),
    grammar(
        "counted groups",
        r#"root ::= "[" item ( "," item ){2,6} "]" | "<" item{3} ">"
item ::= ( "a" | "bc" ){1,3}"#,
        "start: \"[\" item (\",\" item){2,6} \"]\" | \"<\" item{3} \">\"\nitem: (\"a\" | \"bc\"){1,3}\n",
        &["[a,a,a]", "[abc,bcbc,aaa,a,a,a,a]", "<aaa>", "<abcabcabcabca>"],
        &["[a,a]", "[a,a,a,a,a,a,a,a]", "<aa>", "[aaaa,a,a]"],
    ),
    grammar(
        "assignments",
        r#"
root ::= line+
line ::= name " = " value "\n"
value ::= [0-9]+ | "'" ( [^'\\\n] | "\\" [^\n] )* "'" | "[" ( value ( ", " value )* )? "]"
name ::= [A-Za-z_] [A-Za-z0-9_]* ( "." [A-Za-z_] [A-Za-z0-9_]* )*
"#,
        r#"
start: line+
line: NAME " = " value "\n"
value: /[0-9]+/ | /'([^'\\\n]|\\[^\n])*'/ | "[" (value (", " value)*)? "]"
NAME: /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/
"#,
        &["x = 1\n", "server.port = 8080\nnames = ['it\\'s', [1, 2], []]\n"],
        &["", "x = 1", "1 = x\n", "x = 'a\nb'\n"],
    ),
    pattern(
        "uuid",
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        &["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"],
        &["123e4567", "123e4567-e89b-12d3-a456-42661417400g", ""],
    ),
    pattern(
        "date and time",
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])",
        &["2024-02-29T23:59:59Z", "1999-12-31T00:00:00.123456+05:30"],
        &["2024-13-01T00:00:00Z", "2024-02-29", "2024-02-29T24:00:00Z"],
    ),
    pattern(
        "address of four bytes",
        "((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
        &["127.0.0.1", "255.255.255.255", "8.8.4.4"],
        &["256.0.0.1", "1.2.3", "01.2.3.4"],
    ),
    pattern(
        "base 64",
        "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
        &["", "SGVsbG8sIHdvcmxkIQ==", "c3VyZS4=", "QUJD"],
        &["A", "AB=", "====", "AB==C"],
    ),
    pattern(
        "comment",
        "/\\*([^*]|\\*+[^*/])*\\*+/",
        &["/**/", "/* a * b ** c\n é */", "/***/"],
        &["/*", "/* */ */", "// x"],
    ),
    pattern(
        "words of some scripts",
        "[A-Za-zÀ-ÖØ-öø-ÿ]+([ '-][A-Za-zÀ-ÖØ-öø-ÿ]+)*|[α-ω]{2,}|[一-龥ぁ-ん]{1,8}",
        &["Jean-Pierre d'Été", "λογος", "日本語の文"],
        &["a  b", "α", "日本語の文日本語の文", "a1"],
    ),
    pattern(
        "bounds in the hundreds",
        "[a-z ]{100,700}",
        &[
            "the quick brown fox jumps over the lazy dog and then the quick brown fox jumps over the lazy dog once more for good measure",
        ],
        &["too short", ""],
    ),
    pattern(
        "bound on groups",
        "(ab|cde){2,40}(;[0-9]{1,3}){0,20}",
        &["abab", "abcdeab;1;22;333", "cdecdecdecdecdecdecde;0"],
        &["ab", "abab;", "abab;1234"],
    ),
    pattern(
        "lines of anything",
        "([^\\n]{0,80}\\n)*",
        &["", "fn main() {\n    println!(\"héllo\");\n}\n", "\n\n\n"],
        &["no end of line"],
    ),
    schema(
        "enumeration with common beginnings",
        r#"{"enum":["a","ab","abc","b c",null,true,[],{"x":false},["a",null]]}"#,
        &[r#""a""#, r#""abc""#, "null", "[]", r#"{"x":false}"#, r#"["a",null]"#],
        &[r#""abcd""#, "false", "[null]", "{}"],
    ),
    schema(
        "optional members in order",
        r#"{"type":"object","additionalProperties":false,"properties":{
            "alpha":{"type":"boolean"},"beta":{"const":"B"},"gamma":{"type":"null"},
            "delta":{"enum":["x","y"]},"epsilon":{"type":"boolean"}},"required":["gamma"]}"#,
        &[
            r#"{"gamma":null}"#,
            r#"{"alpha":true,"gamma":null,"epsilon":false}"#,
            r#"{"alpha":true,"beta":"B","gamma":null,"delta":"y","epsilon":true}"#,
        ],
        &["{}", r#"{"gamma":null,"alpha":true}"#, r#"{"gamma":null,"zeta":1}"#],
    ),
    schema(
        "recursive tree",
        r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","additionalProperties":false,
            "properties":{"leaf":{"type":"boolean"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}},
            "next":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/node"}]}},"required":["leaf"]}}}"##,
        &[
            r#"{"leaf":true}"#,
            r#"{"leaf":false,"kids":[{"leaf":true,"next":null},{"leaf":true,"kids":[]}]}"#,
            r#"{"leaf":true,"next":{"leaf":true,"next":{"leaf":true,"next":null}}}"#,
        ],
        &["{}", r#"{"leaf":1}"#, r#"{"leaf":true,"kids":[null]}"#],
    ),
    schema(
        "tuples and branches",
        r#"{"type":"array","prefixItems":[{"enum":["get","put"]},{"type":"boolean"}],
            "items":{"anyOf":[{"type":"null"},{"type":"array","items":{"const":"z"}},
            {"type":"object","properties":{"k":{"const":"v"}},"required":["k"],"additionalProperties":false}]}}"#,
        &[r#"["get",true]"#, r#"["put",false,null,["z","z"],{"k":"v"}]"#, "[]", r#"["get"]"#],
        &[r#"["del"]"#, r#"["get",true,true]"#, r#"["get",true,{}]"#],
    ),
];
