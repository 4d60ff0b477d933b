// Package lookback finds out, in a job that runs in parallel to the turns, since which commit a bug
// exists, and on which releases. A commit is red if the tests or the command that show the bug fail on
// it.
//
// A look back is asked for by a row: with a push, for its new tests (Push), and with a report whose
// reproduction fails, for that command (BeforeFix). A session has at most one open look back: a newer
// one replaces it, and a stop ends it. A job of the queue works it (Looker.Run): package past of repo/proof
// chooses the commits and runs the probe on each, and then the releases are tried. Each answer is stored
// as a row, so a restart repeats no run. All runs together may take Looker.Limit. The result is one line in
// the thread, written with the end of the look back.
//
// People are named as their commits name them. They are not mentioned, except where the configuration
// asks for it (Looker.MentionAuthors).
package lookback
