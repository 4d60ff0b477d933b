// Package lookback finds out, beside the turns, since when what shows a bug is red, and on which
// releases.
//
// A look back is asked for by a row: with a push, for its new tests (Push), and with a report
// whose reproduction fails, for that command (BeforeFix). Only the newest of a session is ended; a
// stop ends it. A job of the queue works it (Looker.Run): it asks commits by package retest as
// package bisect wants them, and then the releases. Each answer is a row, so a restart repeats
// nothing; all answers together have Looker.Limit. What came of it is one line in the thread,
// written with the end of the look back.
//
// People are named as their commits name them, and are never called.
package lookback
