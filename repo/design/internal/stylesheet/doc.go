// Package stylesheet parses CSS, SCSS and Less into rules and declarations with the offset of every
// word, and colours and lengths into numbers. ParseSheet accepts any text and reads malformed text as
// far as it can. Nesting, selectors and expansions are bounded.
package stylesheet
