// Package stylesheet reads CSS, SCSS and Less into rules and declarations with the offset of
// every word, and colours and lengths into numbers. ParseSheet takes any text: what is broken
// is read as far as it goes. Nesting, selectors and expansions are bounded.
package stylesheet
