// Package reference reads what messages point at in the configured repositories: issues, pull requests and
// runs at their git hosts, and commits and files in their mirrors.
//
// Find finds the references of a text, and a Reader reads them. Nothing else is asked: an address elsewhere
// is no reference, and each host gets only its own credential. What is read is data of whoever wrote it; the
// caller masks, fences and records it.
package reference
