// Package pictures shows, beside the turns, how a push changes what people see: pictures of the
// project's pages before and after, with what looks different boxed.
//
// They are asked for with the push, where a task of the category visual-engineering was part of it
// (Push). A job of the queue takes them (Photographer.Run) with package screenshot, from the commits in
// the mirror, or from trees in which the configured command has built the pages. Which pages: those
// that the configuration names, else those on which package screenshot finds that the change may be seen.
// What came of it is one line in the thread with the pictures as files, also where there are none. A push
// never waits for it.
package pictures
