// Package inquiry asks agents that only read: the consultant, the explainer of a change, the
// reviewer of its scope, the critic before its push. Each question is one row under a key, and is asked once.
//
// Questions of people are answered beside the work (StartOpen), those of the program where
// they are asked (Ask).
package inquiry
