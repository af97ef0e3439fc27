//! Tests of whole repairs.
