package wanted

import (
	"regexp"
	"strconv"
	"strings"
)

// Satisfies reports whether a version is one that is wanted: a version, or a range as npm and pip write
// them. What cannot be read is taken as satisfied.
func Satisfies(tool, has, wants string) bool {
	for alternative := range strings.SplitSeq(wants, "||") {
		if allHold(partsOf(has), alternative, tools[tool].parts) {
			return true
		}
	}
	return false
}

var comparison = regexp.MustCompile(`(>=|<=|==|!=|~=|~>|>|<|\^|~|=)?\s*v?(\d+(?:\.(?:\d+|[x*]))*)`)

// allHold reports whether a version satisfies each comparison of a range.
func allHold(has []int, text string, parts int) bool {
	found := comparison.FindAllStringSubmatch(text, -1)
	if strings.Contains(text, " - ") && len(found) == 2 {
		return compareParts(has, partsOf(found[0][2]), 3) >= 0 &&
			compareParts(has, partsOf(found[1][2]), len(partsOf(found[1][2]))) <= 0
	}
	for _, m := range found {
		want := partsOf(m[2])
		held := true
		switch sign := m[1]; sign {
		case ">=":
			held = compareParts(has, want, 3) >= 0
		case ">":
			held = compareParts(has, want, len(want)) > 0
		case "<=":
			held = compareParts(has, want, len(want)) <= 0
		case "<":
			held = compareParts(has, want, 3) < 0
		case "!=":
			held = compareParts(has, want, len(want)) != 0
		case "^", "~=", "~>":
			held = compareParts(has, want, 3) >= 0 && compareParts(has, want, 1) == 0
		default:
			held = compareParts(has, want, min(len(want), parts)) == 0
		}
		if !held {
			return false
		}
	}
	return true
}

// partsOf returns the numbers of a version up to the first part that is none.
func partsOf(version string) (out []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// compareParts compares the first parts of two versions; a part that is missing is 0.
func compareParts(a, b []int, parts int) int {
	at := func(v []int, i int) int {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	for i := range parts {
		if d := at(a, i) - at(b, i); d != 0 {
			return d
		}
	}
	return 0
}

// Less reports whether version a is older than version b.
func Less(a, b string) bool { return compareParts(partsOf(a), partsOf(b), 4) < 0 }
