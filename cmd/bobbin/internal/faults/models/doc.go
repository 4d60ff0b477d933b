// Package models is tests alone: a model or its endpoint does what it should not, in each
// way and at each turn of a session, and the session recovers or rests with one line.
// BOBBIN_MODEL_FAULTS="seed sessions" plays others than a few, "all" every one.
package models
