package prompt

import "fmt"

// PartBrief tells the agents of a part of a thread what they are to do. report is the newest report of the
// thread's own session, which is about the repository own; empty: there is none.
func PartBrief(own, part, report string) string {
	brief := fmt.Sprintf("The change that this thread is about takes several repositories. Another session "+
		"works on %s, and this one is the part of %s: find out what has to change in %[2]s for it, and "+
		"report that alone. Only %[2]s can be run and changed here; %[1]s is read as %[1]s:PATH. What was "+
		"written above this line was said to the other session.", own, part)
	if report == "" {
		return brief
	}
	return brief + "\nThe report on " + own + ":\n" + Fence("report", report)
}
