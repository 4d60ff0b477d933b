// Package inquiry asks agents that only read: the consultant, the explainer of a change, the reviewer
// of its scope, and the critic before its push. Each question is one row under a key, and is asked
// once.
//
// Questions of people are answered in parallel to the work (StartOpen). Questions of the program are
// answered where they are asked (Ask).
package inquiry
