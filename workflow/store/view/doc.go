// Package view reads for people who look at the work: one session afterwards, and all sessions as they are.
//
// Read returns one session in chronological order: what people wrote, what was said, what models called and
// got, what was decided, tried and pushed. Other functions read across all sessions: the state of the work
// (vitals), the metrics of all replicas, spending, and the sessions of a person. The package writes nothing and
// masks no secrets: the code that shows the entries does that.
package view
