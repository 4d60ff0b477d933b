package skill_test

import (
	"fmt"
	"testing/fstest"

	"github.com/bobbinhq/bobbin/workflow/skill"
)

// A skill without a description is left out, and the reason names the cure.
func ExampleRead() {
	const notes = "---\nname: release-notes\ndescription: Load it before you write notes.\n---\n" +
		"One line a change.\n"
	skills, problems := skill.Read(fstest.MapFS{
		"release-notes/SKILL.md": {Data: []byte(notes)},
		"blank/SKILL.md":         {Data: []byte("---\nname: blank\n---\n")},
	}, skill.Operator)
	for _, s := range skills {
		fmt.Printf("%s: %s\n", s.Name, s.Description)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// release-notes: Load it before you write notes.
	// blank/SKILL.md: it has no description; add a line description: that says when to use it
}
