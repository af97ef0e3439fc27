//! Tests accepted and refused texts of sources.

use super::{lowered, recognizes, try_lower};
use crate::{TypeScriptOptions, codes, lower};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;

#[track_caller]
fn holds(source: &str, accepted: &[&str], refused: &[&str]) {
    let lowered = lowered(source);
    for text in accepted {
        assert!(recognizes(&lowered.grammar, text.as_bytes()), "{source} refuses {text}");
    }
    for text in refused {
        assert!(!recognizes(&lowered.grammar, text.as_bytes()), "{source} accepts {text}");
    }
}

#[test]
fn members_are_closed_and_in_order() {
    holds(
        "interface A { id: number; 'a b'?: string | undefined; readonly ok: boolean | null; x: undefined | 'y' }",
        &[r#"{"id":1.5,"a b":"","ok":null}"#, r#"{"id":1,"ok":true,"x":"y"}"#],
        &[r#"{"id":1}"#, r#"{"id":1,"ok":true,"z":1}"#, r#"{"ok":true,"id":1}"#, "{}", "null"],
    );
    holds("type A = {};", &["{}"], &[r#"{"a":1}"#, "1"]);
    holds("type A = object", &["{}", r#"{"a":[1]}"#], &["[]", "1"]);
    holds("type A = { a }", &[r#"{"a":[]}"#, r#"{"a":null}"#], &["{}"]);
    holds("type A = { a?: never, b: unknown }", &[r#"{"b":{}}"#], &[r#"{"a":1,"b":1}"#]);
}

#[test]
fn literals_unions_and_enumerations() {
    holds(
        "type A = 'a' | \"b\\n\" | 1 | -2.50 | 0x10 | true | null;",
        &["\"a\"", "\"b\\n\"", "1", "-2.5", "16", "true", "null"],
        &["\"c\"", "2", "false"],
    );
    holds(
        "enum Level { Low, Mid = 5, High, Name = 'n' } enum B { X = `x` }\nexport type A = Level | B.X | Level.Low[]",
        &["0", "5", "6", "\"n\"", "\"x\"", "[0,0]"],
        &["1", "7", "\"Low\"", "[5]"],
    );
    holds("type A = (string & {}) | 'b' | number[]", &["\"z\"", "[1]"], &["1"]);
    holds(
        "type A = Exclude<'a' | 'b' | 1, 'b'> | Extract<2 | 3, 3 | 4> | NonNullable<null | 'z' | undefined>",
        &["\"a\"", "1", "3", "\"z\""],
        &["\"b\"", "2", "null"],
    );
    holds(
        "interface B { k: 1; l?: 2 } type A = keyof B; export { A }",
        &["\"k\"", "\"l\""],
        &["\"m\""],
    );
}

#[test]
fn arrays_and_tuples() {
    holds(
        "type A = [string, number?, ...boolean[]]",
        &["[\"a\"]", "[\"a\",1]", "[\"a\",1,true,false]"],
        &["[]", "[1]", "[\"a\",true]"],
    );
    holds("type A = [x: 1, y?: 2]", &["[1]", "[1,2]"], &["[2]", "[1,2,3]", "[]"]);
    holds(
        "type A = readonly (1 | 2)[] | ReadonlyArray<'a'> | []",
        &["[1,2]", "[\"a\"]", "[]"],
        &["[1,\"a\"]", "[3]"],
    );
    holds(
        "type B = string[]; type L = [1, ...B]; export type A = L | B[number]",
        &["[1,\"a\"]", "\"a\""],
        &["[\"a\"]"],
    );
}

#[test]
fn records_and_index_signatures() {
    holds("type A = Record<string, 1 | 2>", &["{}", r#"{"a":1,"b":2}"#], &[r#"{"a":3}"#]);
    holds(
        "type A = Record<'a' | 'b', number>",
        &[r#"{"a":1,"b":2}"#],
        &[r#"{"a":1}"#, r#"{"a":1,"b":2,"c":3}"#],
    );
    holds("type A = Partial<Record<'a' | 'b', number>>", &["{}", r#"{"b":2}"#], &[r#"{"c":3}"#]);
    holds(
        "interface A { n: 1; [key: string]: number | 'x' }",
        &[r#"{"n":1,"z":"x"}"#],
        &[r#"{"n":2}"#, r#"{"n":1,"z":"y"}"#],
    );
    holds(
        "interface A { [key: `x-${string}`]: 1; [n: number]: 2 }",
        &["{}", r#"{"x-a":1,"x-":1}"#, r#"{"12":2}"#],
        &[r#"{"x-a":2}"#, r#"{"y":1}"#, r#"{"012":2}"#],
    );
}

#[test]
fn objects_are_put_together() {
    holds(
        "interface Base { id: string; kind: string } interface More { n?: number }
         export interface A extends Base, More { kind: 'a'; own: 1 }",
        &[r#"{"id":"","kind":"a","own":1}"#, r#"{"id":"","kind":"a","n":1,"own":1}"#],
        &[r#"{"id":"","kind":"b","own":1}"#, r#"{"kind":"a","own":1}"#],
    );
    holds(
        "type Shape = { kind: 'c'; r: number } | { kind: 's' }; export type A = Shape & { id: 1 } & { id: 1 | 2 }",
        &[r#"{"kind":"c","r":1,"id":1}"#, r#"{"kind":"s","id":1}"#],
        &[r#"{"kind":"s","r":1,"id":1}"#, r#"{"kind":"s","id":2}"#, r#"{"kind":"s"}"#],
    );
    holds(
        "interface B { a: 1; b?: 2; c: 3 }
         export interface A { p: Partial<B>; q: Required<Pick<B, 'a' | 'b'>>; o: Omit<Readonly<B>, 'a' | 'zz'>; i: B['c'] }",
        &[r#"{"p":{"c":3},"q":{"a":1,"b":2},"o":{"c":3},"i":3}"#],
        &[r#"{"p":{"d":1},"q":{"a":1,"b":2},"o":{"c":3},"i":3}"#, r#"{"p":{},"q":{"a":1},"o":{"c":3},"i":3}"#, r#"{"p":{},"q":{"a":1,"b":2},"o":{"a":1,"c":3},"i":3}"#],
    );
    holds("interface A { a: 1 } interface A { b: 2 }", &[r#"{"a":1,"b":2}"#], &[r#"{"a":1}"#]);
    holds(
        "type A = { a?: 1 | 2 } & { a: 2 | 3 | undefined }",
        &[r#"{"a":2}"#, "{}"],
        &[r#"{"a":1}"#],
    );
}

#[test]
fn named_types_recur_and_generic_ones_are_substituted() {
    holds(
        "export interface Tree<T, U = T[]> { v: T; kids: Tree<T, U>[]; u?: U }
         export type A = Tree<'x'> | Tree<1, null>",
        &[r#"{"v":"x","kids":[{"v":"x","kids":[]}],"u":["x"]}"#, r#"{"v":1,"kids":[],"u":null}"#],
        &[r#"{"v":"x","kids":[{"v":1,"kids":[]}]}"#, r#"{"v":1,"kids":[],"u":[1]}"#],
    );
    holds(
        "type Json = null | number | Json[] | { [k: string]: Json }",
        &[r#"{"a":[1,{"b":null}]}"#],
        &["true"],
    );
    holds(
        "type P<T> = { [k: string]: T } & { n: T }; type A = P<number>;\nexport default A",
        &[r#"{"n":1,"z":2}"#],
        &[r#"{"n":"a"}"#, "{}"],
    );
    holds(
        "type Maybe<T> = T | null; export type Ä$ = { a: Maybe<Maybe<'x'>> }",
        &[r#"{"a":null}"#, r#"{"a":"x"}"#],
        &["{}"],
    );
}

#[test]
fn templates_are_patterns() {
    holds(
        "type A = `a.${'x' | 'y'}-${number}`",
        &["\"a.x-1\"", "\"a.y--1.5e3\""],
        &["\"abx-1\"", "\"a.z-1\"", "\"a.x-\"", "\"a.x-01\""],
    );
    holds(
        "type V = 1 | 2; type A = `${V}/${boolean}${string}` | `\\n`; export default A",
        &["\"1/trueé\\n\"", "\"2/false\"", "\"\\n\""],
        &["\"3/true\"", "\"1/tru\""],
    );
    holds(
        "type I = `<${string}>`; export type A = `${I}${bigint}`",
        &["\"<>0\"", "\"<a>>-12\""],
        &["\"<>\"", "\"<>1.5\""],
    );
}

#[test]
fn tags_are_keywords() {
    holds(
        "export interface A {
           /** How many. @see nobody
            * @minimum 1
            * @exclusiveMaximum 10
            * @asType integer */
           n: number
           /** @minLength 2 @ignored
             @pattern ^[a-z]+$ */
           s: string;
           /** @minItems 1
             * @uniqueItems */
           l?: (1 | 2)[];
           /** @nullable */ d?: Date
         }",
        &[
            r#"{"n":1,"s":"ab"}"#,
            r#"{"n":9,"s":"abc","l":[1,2],"d":null}"#,
            r#"{"n":9,"s":"abc","d":"2024-02-29T00:00:00Z"}"#,
        ],
        &[
            r#"{"n":0,"s":"ab"}"#,
            r#"{"n":1.5,"s":"ab"}"#,
            r#"{"n":10,"s":"ab"}"#,
            r#"{"n":1,"s":"aB"}"#,
            r#"{"n":1,"s":"ab","l":[]}"#,
            r#"{"n":1,"s":"ab","l":[1,1]}"#,
            r#"{"n":1,"s":"ab","d":"x"}"#,
        ],
    );
    holds(
        "/** @format uuid */ type Id = string; /** @additionalProperties */ export interface A { id: Id }",
        &[r#"{"id":"00000000-0000-4000-8000-000000000000","more":1}"#],
        &[r#"{"id":"x"}"#],
    );
    let found =
        lowered("interface A { /** @minLenght 3 */ a: string /** @params none */ }").findings;
    assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::UNKNOWN_TAG]);
}

#[test]
fn the_root_is_the_default_export_the_last_that_is_exported_or_the_only_one() {
    let root = |source: &str| {
        let lowered = lowered(source);
        let accepted: Vec<_> = ["1", "2", "3"]
            .into_iter()
            .filter(|text| recognizes(&lowered.grammar, text.as_bytes()))
            .collect();
        let noted = lowered.findings.iter().any(|note| note.code == codes::ROOT);
        (accepted.join(","), noted)
    };
    for (source, expected, noted) in [
        ("type A = 1", "1", false),
        ("export type A = 1; export type B = 2; type C = 3", "2", true),
        ("export type A = 1; export type B = 2; export default A", "1", true),
        ("type A = 1; type B = 2; export { A }; export { Z } from './z'", "1", true),
        ("type A = 1; type B = 2; export { B as default, A }", "2", true),
        ("export default interface A { a: 1 }", "", false),
        (
            "import { B } from './b'; export const x = 1; type A = 3; function f() { return { a: [1] } }",
            "3",
            false,
        ),
    ] {
        assert_eq!(root(source), (expected.to_owned(), noted), "{source}");
    }
    let named = |start: &str| {
        let options = TypeScriptOptions { start: Some(start.to_owned()), ..Default::default() };
        let source = Source::new("test.ts", "export type A = 1; type Bee = 2");
        lower(source, &options, &Budget::new())
    };
    assert!(recognizes(&named("Bee").unwrap().grammar, b"2"));
    let error = &named("Be").unwrap_err()[0];
    assert_eq!(error.code, codes::MISSING_ROOT);
    assert_eq!(error.help.as_deref(), Some("did you mean `Bee`?"));
    assert_eq!(try_lower("type A = 1; type B = 2").unwrap_err()[0].code, codes::AMBIGUOUS_ROOT);
    assert_eq!(try_lower("const a = 1").unwrap_err()[0].code, codes::MISSING_ROOT);
}

#[test]
fn places_are_of_the_text() {
    let text =
        "export interface A { n: Inner }\ninterface Inner { /** @format unheard */ s: string }";
    let lowered = lowered(text);
    let mut spans = lowered.grammar.rules.iter().filter_map(|rule| rule.origin.span.clone());
    assert!(spans.clone().count() > 1);
    assert!(spans.all(|span| text.get(span).is_some()));
    let pointers: Vec<_> = lowered.report.entries().map(|entry| entry.pointer.to_owned()).collect();
    assert!(pointers.contains(&"/$defs/Inner/properties/s/format".to_owned()), "{pointers:?}");
}
