//! graphql
