// Package remote describes a remote repository: its address, its credentials, how often and how long a
// request is tried, and what its errors mean for people.
//
// An *Error is a refusal by a remote or a missing response. It holds one plain line and a cure, without any
// credential. Retry is set if the cause may pass by itself; RetryPolicy.Do retries only such errors, never
// a refusal. ErrLocal marks failures of this machine.
package remote
