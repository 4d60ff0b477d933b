// Package arguments checks what a model wrote as the arguments of one call against the tool's
// JSON schema.
//
// A Checker never mends arguments. It takes one JSON object, at most 1 MiB, nested at most 64
// deep, without a field that is there twice. A null for a field that may be left out counts as
// left out. What is wrong is said field by field, in words that a model can act on, at most
// five problems at a time, with an example of a right call.
package arguments
