package findings

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits on what is said about siblings: places of one kind that are named in the line, places that
// nobody looked at that are named under Details, and characters of a place.
const (
	maxNamed    = 4
	maxUnlooked = 12
	maxPlace    = 100
)

// elsewhereText returns one line about where else the defect is, or an empty string if nobody looked
// for siblings.
func elsewhereText(s *workflow.Siblings) string {
	if s == nil {
		return ""
	}
	partly := ""
	if s.Partly {
		partly = "; not every file was searched"
	}
	g := groupSiblings(s)
	var said []string
	add := func(places []workflow.Sibling, what string, named bool) {
		if len(places) > 0 {
			text := fmt.Sprintf("%d %s", len(places), what)
			if named {
				text += " (" + placesText(places, maxNamed) + ")"
			}
			said = append(said, text)
		}
	}
	add(g.inFix, "affected", true)
	add(g.outside, "affected, not part of this fix", true)
	add(g.sound, "not affected", false)
	few := len(g.unlooked) <= maxUnlooked
	if few {
		add(g.unlooked, "not looked at", true)
	}
	switch text := strings.Join(said, ", "); {
	case len(s.Places) == 0:
		return "Elsewhere: nothing of this shape" + partly + "."
	case few:
		return "Elsewhere: " + text + partly + "."
	case text == "":
		return fmt.Sprintf("Elsewhere: %d places of this shape, none of them looked at%s.",
			len(s.Places), partly)
	default:
		return fmt.Sprintf("Elsewhere: %s; %d of %d looked at%s.", text, len(s.Places)-len(g.unlooked),
			len(s.Places), partly)
	}
}

// siblingGroups holds the places by their verdict.
type siblingGroups struct{ inFix, outside, sound, unlooked []workflow.Sibling }

func groupSiblings(s *workflow.Siblings) (g siblingGroups) {
	for _, p := range s.Places {
		switch {
		case p.Verdict == workflow.SiblingAffected && p.InFix:
			g.inFix = append(g.inFix, p)
		case p.Verdict == workflow.SiblingAffected:
			g.outside = append(g.outside, p)
		case p.Verdict == workflow.SiblingNotAffected:
			g.sound = append(g.sound, p)
		default:
			g.unlooked = append(g.unlooked, p)
		}
	}
	return g
}

// placesText names at most most of the places, and says how many more there are.
func placesText(places []workflow.Sibling, most int) string {
	var names []string
	for _, p := range places {
		names = append(names, plaintext.SafeLine(p.At, maxPlace))
	}
	return plaintext.FirstOf(names, most)
}

// siblingLines returns the verdict on each place, for Details and for agents that work from the report.
func siblingLines(s *workflow.Siblings) (lines []string) {
	if s == nil {
		return nil
	}
	pattern := strings.ReplaceAll(plaintext.SafeLine(s.Pattern, maxPlace), "`", "'")
	lines = append(lines, "Elsewhere, where `"+pattern+"` matches:")
	g := groupSiblings(s)
	for _, of := range []struct {
		places []workflow.Sibling
		what   string
	}{{g.inFix, "affected"}, {g.outside, "affected, not part of this fix"}, {g.sound, notAffected}} {
		for _, p := range of.places {
			lines = append(lines, siblingLine(p, of.what))
		}
	}
	if len(g.unlooked) > 0 {
		lines = append(lines, unlookedLine(g))
	}
	if len(s.Places) == 0 {
		lines = append(lines, "• nowhere but in the cause")
	}
	return lines
}

const notAffected = "not affected"

func siblingLine(p workflow.Sibling, verdict string) string {
	return fmt.Sprintf("• %s, %s: %s", plaintext.SafeLine(p.At, maxPlace), verdict, plaintext.OneLine(p.Why))
}

func unlookedLine(g siblingGroups) string {
	return "• not looked at: " + placesText(g.unlooked, maxUnlooked)
}

// soundLines returns those of the siblingLines that name places where nothing was found to be wrong, and the
// end of the report's own line that names places which nobody looked at.
func soundLines(s *workflow.Siblings) (lines []string) {
	if s == nil {
		return nil
	}
	g := groupSiblings(s)
	for _, p := range g.sound {
		lines = append(lines, siblingLine(p, notAffected))
	}
	if len(g.unlooked) > 0 {
		lines = append(lines, unlookedLine(g), elsewhereText(s))
	}
	return lines
}
