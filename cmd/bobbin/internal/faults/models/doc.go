// Package models tests the program with a model or an endpoint that misbehaves, in each way and at each turn
// of a session. The session must recover, or pause with one line. The package contains only tests.
// BOBBIN_MODEL_FAULTS="seed sessions" runs other cases, and "all" runs every case.
package models
