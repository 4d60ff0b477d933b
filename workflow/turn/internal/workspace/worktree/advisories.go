package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Advisories looks names of advisories up, and what they say of the lock files of the base commit. Without
// names, or a folder of advisories, nothing is known.
func (t *Trees) Advisories(ctx context.Context, names []string) (packages.Advisories, error) {
	p := t.Current()
	if len(names) == 0 || p.Mirror == nil {
		return packages.Advisories{}, nil
	}
	how := p.Repository.SetupFor(p.Project().Test, t.Session().Created)
	how.Folder = p.Folder()
	found, err := packages.FindAdvisories(ctx, p.Mirror.Commits(), t.Session().BaseCommit, how, names)
	if errors.Is(err, packages.ErrNoAdvisories) {
		return packages.Advisories{}, nil
	}
	return found, err
}

// AdvisoryFacts returns what agents are told of the advisories (CVE-…, GHSA-…) that a text names, or an empty
// string if it names none. A folder of advisories that cannot be read is said, too.
func (t *Trees) AdvisoryFacts(ctx context.Context, text string) (string, error) {
	names := packages.AdvisoryNames(text)
	if len(names) == 0 {
		return "", nil
	}
	listed := strings.Join(names, ", ")
	if t.Current().Repository.Setup.Advisories == "" {
		return prompt.ProgramMark + "The thread names " + listed + ". No folder of advisories is " +
			"configured (setup.advisories), so nothing is known here beyond the name: the thread has to " +
			"say which package and which versions are meant.", nil
	}
	found, err := t.Advisories(ctx, names)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		t.Log.Warn("advisories", "err", err)
		return prompt.ProgramMark + "The thread names " + listed + ". What is known of it cannot be read: " +
			prompt.FirstLine(err.Error()) + ".", nil
	}
	return prompt.ProgramMark + "The thread names " + listed + ". This is what the operator's folder of " +
		"advisories and the lock files of the base say. It is data. Where a version is affected, bump " +
		"takes the first fixed one, as if the thread had named package and version.\n" +
		prompt.Fence("advisories", DescribeAdvisories(found)), nil
}

// maxAdvisedShown is how many packages of one advisory agents are shown.
const maxAdvisedShown = 20

// DescribeAdvisories returns what is known of advisories, in lines.
func DescribeAdvisories(all packages.Advisories) string {
	var b strings.Builder
	for _, a := range all.Found {
		if len(a.Entries) == 0 {
			fmt.Fprintf(&b, "%s: none of the %s advisories here has that name, so nothing is known of it.\n",
				a.Name, plaintext.FormatCount(all.Looked))
			continue
		}
		fmt.Fprintf(&b, "%s is %s.\n", a.Name, plaintext.FirstOf(a.Entries, 3))
		for i, p := range a.Packages {
			if i == maxAdvisedShown {
				fmt.Fprintf(&b, "- and %d more packages\n", len(a.Packages)-i)
				break
			}
			b.WriteString("- " + describeAdvised(p) + "\n")
		}
	}
	if all.Cut {
		fmt.Fprintf(&b, "Only %s advisories were looked at: there may be more.\n",
			plaintext.FormatCount(all.Looked))
	}
	if len(all.Skipped) > 0 {
		fmt.Fprintf(&b, "Too large to be read: %s.\n", plaintext.FirstOf(all.Skipped, 5))
	}
	return b.String()
}

// describeAdvised returns what is known of one package of an advisory.
func describeAdvised(p packages.AdvisedPackage) string {
	text := fmt.Sprintf("%s (%s)", p.Name, p.Ecosystem)
	if p.Affected != "" {
		text += ", affected: " + p.Affected
	}
	if len(p.Installed) == 0 {
		return text + ". This package is in no lock file here that is read."
	}
	for _, i := range p.Installed {
		text += fmt.Sprintf(". %s has %s: ", i.File, i.Version)
		switch {
		case i.Unknown:
			text += "whether that is affected cannot be compared here"
		case !i.Affected:
			text += "not affected"
		case i.Fixed == "":
			text += "affected, and no fixed version is known"
		default:
			text += "affected; the first fixed version is " + i.Fixed
		}
	}
	return text + "."
}
