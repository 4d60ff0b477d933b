// Package models tests the program with a model or an endpoint that does what it should not, in
// each way and at each turn of a session. The session recovers, or rests with one line. The
// package has tests alone. BOBBIN_MODEL_FAULTS="seed sessions" runs other cases, "all" every one.
package models
