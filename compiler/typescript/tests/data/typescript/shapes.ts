interface Circle {
    kind: "circle";
    radius: number;
}

interface Box {
    kind: "box";
    size: [width: number, height: number, depth?: number];
}

type Colour = "red" | "green" | 7;

type Named<T> = T & { name: string };

export type Shape = Named<Circle | Box> | { kind: "group"; shapes: Shape[]; colour?: Colour };
