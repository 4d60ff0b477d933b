package redact_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// A Finder masks the secrets that it was given, and those that it knows by their form.
func ExampleFinder_Mask() {
	secrets := redact.New("correct-horse-battery")
	fmt.Println(secrets.Mask("login with correct-horse-battery"))
	fmt.Println(secrets.Mask("GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
	fmt.Println(secrets.Mask("login with password"))
	// Output:
	// login with [masked: configured]
	// GITHUB_TOKEN=[masked: github-pat]
	// login with password
}
