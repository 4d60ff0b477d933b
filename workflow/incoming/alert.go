package incoming

import (
	"fmt"
	"strings"
)

// A Feed is a channel in which the messages of some apps are read as reports.
type Feed struct {
	Channel    string
	Repository string   // name of the repository that they are about
	Apps       []string // ids (A…) or names of the apps
}

// An Alert is what an app posted about a problem. All of it is the app's text, and so data.
type Alert struct {
	App        string // the app's name
	AppID      string
	Repository string // the repository that the channel's alerts are about; empty: several
	Title      string
	Trace      string // lines of a stack trace
	Release    string
	Link       string // http or https; empty: none
	Body       string // the rest of what was posted
	// Fingerprint is the same for all alerts about one problem.
	Fingerprint string
	// Resolved means that the alert says that a problem is over.
	Resolved bool
}

// String returns the alert as a report, with its title in the first line.
func (a Alert) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.Title)
	for _, part := range []struct{ name, text string }{{"Link", a.Link}, {"Release", a.Release}} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, part.text)
		}
	}
	if a.Trace != "" {
		fmt.Fprintf(&b, "Stack trace:\n%s\n", a.Trace)
	}
	if a.Body != "" && a.Body != a.Title {
		fmt.Fprintf(&b, "Posted with it:\n%s\n", a.Body)
	}
	return strings.TrimRight(b.String(), "\n")
}
