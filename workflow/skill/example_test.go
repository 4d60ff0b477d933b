package skill_test

import (
	"fmt"
	"testing/fstest"

	"github.com/bobbinhq/bobbin/workflow/skill"
)

// A skill that is not well formed is left out, and the reason names the cure.
func ExampleRead() {
	const notes = "---\nname: release-notes\ndescription: Load it before you write notes.\n---\n" +
		"One line a change.\n"
	skills, problems := skill.Read(fstest.MapFS{
		"release-notes/SKILL.md": {Data: []byte(notes)},
		"empty/SKILL.md":         {Data: []byte("Nothing above.\n")},
	}, skill.Operator)
	for _, s := range skills {
		fmt.Printf("%s: %s\n", s.Name, s.Description)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// release-notes: Load it before you write notes.
	// empty/SKILL.md: it has no front matter; begin with a line ---, name and description, and a line ---
}
