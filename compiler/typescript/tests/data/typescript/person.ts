interface Person {
    first: string;
    last: string;
    age: number;
    nick?: string;
}

interface Page<T> {
    items: T[];
    next: number | null;
}

export interface Change {
    patch: Partial<Pick<Person, "first" | "age">>;
    full: Required<Omit<Person, "age">>;
    page: Page<Person["age"]>;
    keys: (keyof Person)[];
    level: 1 | 2 | 3;
    any: unknown;
    point: readonly [number, ...string[]];
}
