//! Texts of sets: what is accepted is a member, and a member's texts are accepted.
