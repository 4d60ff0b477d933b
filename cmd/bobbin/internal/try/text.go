package try

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/trial"
)

// A page is the text for people, as it is written.
type page struct{ strings.Builder }

// printText writes the result for people.
func printText(w io.Writer, t trial.Trial) error {
	p := &page{}
	p.line("%s (%s), %s at %.10s", t.Repository, t.URL, t.Branch, t.Commit)
	if t.Folder != "" {
		p.row("folder", t.Folder)
	}
	p.row("found", kindOf(t))
	p.commands(t)
	p.packages(t)
	if l := t.LFS; l != nil && l.Fetched > 0 {
		p.row("LFS", fmt.Sprintf("%s fetched, %s", cli.Count(l.Fetched, "file"),
			plaintext.FormatSize(l.Bytes)))
	}
	for i, v := range t.Versions {
		p.row(firstOnly(i, "versions"), versionLine(v))
	}
	for i, s := range t.Services {
		p.row(firstOnly(i, "services"), strings.TrimSpace(s.Name+" "+s.Version)+" ("+s.From+")")
	}
	if n := t.Near; n != nil {
		p.row("near", fmt.Sprintf("a change of %s runs first: %s", n.File, n.Line))
		p.row("", fmt.Sprintf("%s in %s", counts(n.Passed, n.Failed, n.Skipped), trial.InWords(n.Seconds)))
	}
	p.output(t)
	p.verdict(t)
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(cli.WithoutControls(fmt.Sprintf(format, args...)), " ") + "\n")
}

// row writes a line with its name before it; an empty name goes on with the row before.
func (p *page) row(name, text string) { p.line("  %-9s %s", name, plaintext.OneLine(text)) }

// items writes what is known or to do, each with its cure in a line of its own.
func (p *page) items(list []trial.Cause) {
	for _, c := range list {
		p.line("  - %s", plaintext.OneLine(c.What))
		if c.Cure != "" {
			p.line("    → %s", plaintext.OneLine(c.Cure))
		}
	}
}

func firstOnly(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

func kindOf(t trial.Trial) string {
	text := "no kind of project that is known"
	if t.Kind != "" {
		text = "a " + t.Kind + " project"
	}
	text += ", " + cli.Count(t.Files, "file")
	var parts []string
	for _, l := range t.Languages {
		parts = append(parts, fmt.Sprintf("%s %d", l.Name, l.Files))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

func (p *page) commands(t trial.Trial) {
	p.row("build", commandLine(t.Build, "nothing to build"))
	if b := t.Base; b != nil && b.BuildRan {
		word := "fails after "
		if b.BuildOK {
			word = "clean in "
		}
		p.row("", word+trial.InWords(b.BuildSeconds))
	}
	p.row("test", commandLine(t.Test, "no command was found"))
	if t.Base != nil && t.Base.TestsRan {
		p.row("", runLine(t.Base))
	}
	if t.Again != nil {
		p.row("", "once more: "+runLine(t.Again))
	}
}

func commandLine(c trial.Command, otherwise string) string {
	switch {
	case c.Line == "":
		return otherwise
	case c.From == "":
		return c.Line
	}
	return c.Line + " (" + c.From + ")"
}

func runLine(r *trial.Run) string {
	text := fmt.Sprintf("exit code %d, not counted", r.ExitCode)
	if r.Counted {
		text = counts(r.Passed, r.Failed, r.Skipped)
	}
	if r.Stopped != "" {
		text += ", ended by a limit (" + r.Stopped + ")"
	}
	text += " in " + trial.InWords(r.TestSeconds)
	if r.Services > 0 {
		text += fmt.Sprintf(", of which %s until services were ready", trial.InWords(r.Services))
	}
	if r.Memory > 0 {
		text += fmt.Sprintf(", %d MB of memory at the peak", max(1, r.Memory>>20))
	}
	return text
}

func counts(passed, failed, skipped int) string {
	if passed+failed+skipped == 0 {
		return "no tests"
	}
	text := fmt.Sprintf("%d passed", passed)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

func (p *page) packages(t trial.Trial) {
	for i, k := range t.Packages {
		of := cmp.Or(plaintext.FirstOf(k.Files, 3), "setup.run")
		if k.Manager != "" {
			of += " (" + k.Manager + ")"
		}
		switch {
		case k.Why != "":
			of += ": missing; " + k.Why
		case k.Fetched:
			of += ": fetched"
		default:
			of += ": not fetched"
		}
		p.row(firstOnly(i, "packages"), of)
	}
}

func versionLine(v trial.Version) string {
	line := v.String() + " (" + v.From + ")"
	switch {
	case v.Differs:
		line += ": differs"
	case v.Path != "":
		line += ": " + v.Path
	}
	return line
}

// maxShown is how many lines of an output are shown.
const maxShown = 12

// output shows the end of what failed, if nothing can be proven for it.
func (p *page) output(t trial.Trial) {
	var text string
	for _, k := range t.Packages {
		text = cmp.Or(text, k.Output)
	}
	if t.Base != nil {
		text = cmp.Or(t.Base.Output, text)
	}
	if t.Ready || text == "" {
		return
	}
	p.line("")
	p.line("The end of what failed:")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines[max(0, len(lines)-maxShown):] {
		p.line("  | %s", plaintext.CutLine(line, 200))
	}
}

func (p *page) verdict(t trial.Trial) {
	p.line("")
	if t.Ready {
		p.line("Ready. What can be proven:")
		for _, what := range t.Provable {
			p.line("  - %s", what)
		}
	} else {
		p.line("Not ready: nothing can be proven here.")
		p.items(t.Causes)
	}
	if len(t.Notes) > 0 {
		p.line("")
		p.line("To know:")
		p.items(t.Notes)
	}
	if lines := Lines(t); lines != "" {
		p.line("")
		p.line("Lines for bobbin.yaml that may help:")
		p.WriteString("\n" + cli.WithoutControls(lines))
	}
}
