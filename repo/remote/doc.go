// Package remote says what a repository elsewhere is: its address, what it asks for as
// credentials, how often and how long it is tried, and what its refusals mean to people.
//
// An *Error is a no from a remote, or the lack of an answer: one plain line and a cure,
// without any credential in it. What may pass by itself has Retry set, and RetryPolicy.Do
// tries it again; a refusal is never asked for twice. ErrLocal marks failures of this
// machine.
package remote
