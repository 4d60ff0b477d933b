// Package pictures shows, in a job that runs in parallel to the turns, how a push changes what people
// see: pictures of the project's pages before and after, with the differences boxed.
//
// The pictures are requested with the push (Push), if a finished task of the session has the category
// visual-engineering. A job of the queue takes them (Photographer.Run) with package screenshot, from
// the commits in the mirror, or from trees in which the configured command has built the pages. The
// pages are those that the configuration names, otherwise those on which package screenshot finds that
// the change may be seen. The result is one line in the thread with the pictures as files, or with the
// reason why there are none. A push never waits for it.
package pictures
