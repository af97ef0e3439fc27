"""The names of other engines over grammarc's masks, for programs that are written for these."""
