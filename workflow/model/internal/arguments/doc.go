// Package arguments checks the arguments that a model wrote for a tool call against the tool's JSON schema.
//
// A Checker never repairs arguments. It accepts one JSON object of at most 1 MiB, nested at most 64 deep,
// without repeated fields. A null for an optional field counts as left out. Problems are described field by
// field, in words that a model can act on, at most five at a time, with an example of a right call.
package arguments
