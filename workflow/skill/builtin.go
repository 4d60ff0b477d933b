package skill

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed builtin
var embedded embed.FS

// BuiltIn returns the skills that are part of the program. An error means that one of them is malformed,
// and that the program must not start.
func BuiltIn() ([]Skill, error) {
	folder, err := fs.Sub(embedded, "builtin")
	if err != nil {
		return nil, fmt.Errorf("skill: built-in skills: %w", err)
	}
	return readAllValid(folder)
}

// readAllValid returns the skills of a folder in which every skill has to be well formed.
func readAllValid(folder fs.FS) ([]Skill, error) {
	skills, problems := Read(folder, Embedded)
	var wrong []error
	for _, p := range problems {
		wrong = append(wrong, fmt.Errorf("skill: built-in %s", p))
	}
	if len(skills) == 0 && len(wrong) == 0 {
		wrong = append(wrong, errors.New("skill: there are no built-in skills"))
	}
	return skills, errors.Join(wrong...)
}
