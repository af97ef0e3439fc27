//! Tests refused sources, with the place of each error.

use proptest::prelude::*;

use super::try_lower;
use crate::codes;

/// Returns the code of each error, and the text that the error points at.
fn errors(source: &str) -> Vec<(&'static str, String)> {
    let Err(errors) = try_lower(source) else { return Vec::new() };
    let at =
        |span: Option<std::ops::Range<usize>>| span.map_or("", |span| &source[span]).to_owned();
    errors
        .iter()
        .map(|error| (error.code, at(error.labels.first().map(|label| label.span.clone()))))
        .collect()
}

#[test]
fn each_with_its_place() {
    let mut missing = Vec::new();
    for (source, code, at) in [
        ("type A = { f(): void }", codes::UNSUPPORTED, "f(): void"),
        ("type A = { f: () => void }", codes::UNSUPPORTED, "() => void"),
        ("type A = { [K in 'a']: 1 }", codes::UNSUPPORTED, "{ [K in 'a']: 1 }"),
        (
            "type A = B extends 1 ? 2 : 3; type B = 1; export default A",
            codes::UNSUPPORTED,
            "B extends 1 ? 2 : 3",
        ),
        ("const x = 1; type A = typeof x", codes::UNSUPPORTED, "typeof x"),
        ("type A = bigint", codes::UNSUPPORTED, "bigint"),
        ("type A = 1n", codes::UNSUPPORTED, "1n"),
        ("type A = symbol[]", codes::UNSUPPORTED, "symbol"),
        ("type A = undefined", codes::UNSUPPORTED, "undefined"),
        ("type A = [1, undefined?]", codes::UNSUPPORTED, "undefined"),
        ("type A = Map<string, 1>", codes::UNSUPPORTED, "Map<string, 1>"),
        ("type A = Uppercase<'a'>", codes::UNSUPPORTED, "Uppercase<'a'>"),
        ("type A = string & { brand: 1 }", codes::UNSUPPORTED, "string & { brand: 1 }"),
        ("type A = { [Symbol.iterator]: 1 }", codes::UNSUPPORTED, "[Symbol.iterator]: 1"),
        ("type A = [...string[], 1]", codes::UNSUPPORTED, "...string[]"),
        ("type A = Record<object, 1>", codes::UNSUPPORTED, "object"),
        ("type A = N.B", codes::UNSUPPORTED, "N.B"),
        ("type A = keyof Record<string, 1>", codes::UNSUPPORTED, "keyof Record<string, 1>"),
        ("type A = Pick<string, 'a'>", codes::UNSUPPORTED, "string"),
        ("class C { a = 1 } type A = C", codes::UNSUPPORTED, "C"),
        ("import { B } from './b'; type A = B[]", codes::IMPORTED, "B"),
        ("import { B } from './b'; interface A extends B {}", codes::IMPORTED, "B"),
        ("type A = Strin", codes::UNKNOWN_TYPE, "Strin"),
        ("type A = Array", codes::ARGUMENTS, "Array"),
        ("type B<T> = T; export type A = B<1, 2>", codes::ARGUMENTS, "B<1, 2>"),
        ("export type A<T> = T[]", codes::ARGUMENTS, "A"),
        ("interface B { a: 1 } export type A = B['b']", codes::UNKNOWN_KEY, "B['b']"),
        ("interface B { a: 1 } export type A = Pick<B, 'b'>", codes::UNKNOWN_KEY, "Pick<B, 'b'>"),
        ("enum E { X } export type A = E.Y", codes::UNKNOWN_KEY, "Y"),
        ("enum A { X = 1 + 1 }", codes::ENUM_VALUE, "X = 1 + 1"),
        ("enum A { X = 'x', Y }", codes::ENUM_VALUE, "Y"),
        ("type A = 1; interface A {}", codes::DUPLICATE, "A"),
        ("type A = { /** @minimum much */ a: number }", codes::TAG, "@minimum much"),
        ("type A = { /** @asType int */ a: number }", codes::TAG, "@asType int"),
        ("type A = {", codes::SYNTAX, ""),
        ("type A = 1 / 2", codes::SLASH, "/"),
        (
            "type A = { a: B; b: Strin }; interface B { c: Foo }; export default A",
            codes::UNKNOWN_TYPE,
            "Strin",
        ),
        ("type B = B[\"a\"]; export type A = B[\"a\"]", codes::NESTED_TOO_DEEP, ""),
        ("interface A extends A {}", codes::NESTED_TOO_DEEP, "A"),
        ("type A = A & { a: 1 }", codes::NESTED_TOO_DEEP, "A"),
        ("type B = B; export type A = Pick<B, 'a'>", codes::CIRCLE, "B"),
        ("type B<T> = { a: B<T[]> }; export type A = B<1>", codes::NESTED_TOO_DEEP, ""),
        // Errors of the JSON Schema front end have places in the source, too.
        ("type A = never", "json-schema::", ""),
        ("type A = { a: B }; type B = { b: B }; export default A", "json-schema::", ""),
        ("type A = { /** @pattern ( */ a: string }", "json-schema::", "@pattern ("),
    ] {
        let found = errors(source);
        let is_there =
            |(found, text): &(&str, String)| found.starts_with(code) && text.starts_with(at);
        if !found.iter().any(is_there) {
            missing.push(format!("{source}: {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn all_errors_are_reported() {
    let found = errors("export type A = { a: Foo; b: () => 1; c: Bar }; type B = Baz");
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn depth_is_bounded() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("type A = {}1{}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in
        [("{ a: ", " }"), ("(", ")"), ("[", "]"), ("", "[]"), ("Array<", ">"), ("1 | (", ")")]
    {
        let text = nested(open, close, 14);
        assert!(try_lower(&text).is_ok(), "{text}: {:?}", try_lower(&text));
        for depth in [40, 1_000, 100_000] {
            let found = errors(&nested(open, close, depth));
            assert_eq!(found[0].0, codes::NESTED_TOO_DEEP, "{open} {depth}: {found:?}");
        }
    }
}

#[test]
fn the_parser_has_room_for_the_deepest() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{ a: ", " }"),
        ("Array<", ">"),
        ("keyof ", ""),
        ("1 extends 2 ? 3 : ", ""),
        ("() => ", ""),
        ("`${", "}`"),
        ("new () => ", ""),
        ("{ get a(): ", "}"),
        ("[...", "]"),
        ("[a: ", "]"),
        ("(a: ", ") => 1"),
        ("typeof import('a')<", ">"),
    ] {
        let text = format!("type A = {}1{}", open.repeat(1_900), close.repeat(1_900));
        assert!(try_lower(&text).is_err(), "{open}");
    }
    for (open, close) in [
        ("!", ""),
        ("(", ")"),
        ("[", "]"),
        ("{ a: ", "}"),
        ("a ? b : ", ""),
        ("() => ", ""),
        ("new a(", ")"),
        ("`${", "}`"),
        ("a = ", ""),
        ("function () { return ", "}"),
        ("class { a = ", "}"),
        ("f(", ")"),
        ("a ** ", ""),
        ("<T>", ""),
        ("(a = ", ") => 1"),
        ("async () => ", ""),
        ("await ", ""),
    ] {
        let text = format!("type A = 1; const x = {}1{}", open.repeat(1_900), close.repeat(1_900));
        let _ = try_lower(&text);
        let text =
            format!("type A = 1; enum B {{ C = {}1{} }}", open.repeat(1_900), close.repeat(1_900));
        let _ = try_lower(&text);
    }
    for part in [
        "if (a) ",
        "if (a) {} else ",
        "while (a) ",
        "a: ",
        "{",
        "for (;;) ",
        "do ",
        "namespace A { ",
        "switch (a) { case 1: ",
    ] {
        let _ = try_lower(&format!("type A = 1; {}", part.repeat(1_900)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_source_panics(parts in prop::collection::vec(prop::sample::select(vec![
        "type A = ", "interface ", "A", "B", "{", "}", "(", ")", "[", "]", "<", ">", " extends ", "keyof ", ": ", "; ", ", ", "?", " | ", " & ", "'a'", "1", "=> ",
        "string", "export ", "default ", "enum ", "`", "${", "Pick", "Record", "readonly ", "...", "= ", "\n", "/** @minimum x */ ", "// c\n", "é", "never", "Array", "\\",
    ]), 0..25)) {
        let text = parts.concat();
        match try_lower(&text) {
            Ok(lowered) => {
                for rule in &lowered.grammar.rules {
                    prop_assert!(rule.origin.span.clone().is_none_or(|span| text.get(span).is_some()));
                }
            }
            Err(errors) => {
                for label in errors.iter().flat_map(|error| &error.labels) {
                    prop_assert!(text.get(label.span.clone()).is_some(), "{:?}", label);
                }
            }
        }
    }
}
