//! Holds the tests of how the project is written; there is nothing to link.
