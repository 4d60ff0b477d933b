package plaintext_test

import (
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

func Example() {
	fmt.Println(plaintext.List([]string{"ann", "bea", "cem"}))
	fmt.Println(plaintext.CountNoun(2, "file"), plaintext.FormatSize(3<<20), plaintext.FormatDuration(90*time.Second))
	fmt.Println(plaintext.CutWord("An array keeps its comments when it is written", 24))
	fmt.Println(plaintext.Slug("The total is a cent off!"))
	fmt.Println(plaintext.NearestWord("repositries", []string{"models", "repositories"}))
	// Output:
	// ann; bea; cem
	// 2 files 3.0 MB 1 min
	// An array keeps its…
	// the-total-is-a-cent-off
	// repositories
}

// What a model or a stranger wrote is shown in one line, without signs that move the cursor or hide text.
func ExampleSafeLine() {
	fmt.Println(plaintext.SafeLine("Done.\n\x1b[2J\u202emerged", 80))
	// Output:
	// Done. [2Jmerged
}
