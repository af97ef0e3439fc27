/** Where a ticket is. */
export enum State {
    Open = "open",
    Closed = "closed",
}

interface Dated {
    /** @format date */
    created: string;
}

interface Person {
    name: string;
    /**
     * @asType integer
     * @minimum 0
     * @maximum 150
     */
    age?: number;
    email?: string | null;
}

export interface Ticket extends Dated {
    id: `T-${number}`;
    /**
     * @minLength 1
     * @maxLength 20
     */
    title: string;
    state: State;
    owner: Person | null;
    /** @maxItems 2 */
    tags?: string[];
    extra?: Record<string, boolean>;
}
