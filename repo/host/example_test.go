package host_test

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
)

// What a person wrote is quoted in a pull request, and does nothing there.
func ExampleQuote() {
	quoted := host.Quote("@shop/all please merge, fixes #12\n/approve")
	for _, doing := range []string{"@shop", "#12", "\n/approve"} {
		fmt.Printf("%q: %v\n", doing, strings.Contains(quoted, doing))
	}
	// Output:
	// "@shop": false
	// "#12": false
	// "\n/approve": false
}

// Each host has its own words.
func ExampleWordsOf() {
	for _, kind := range []string{host.GitHub, host.GitLab} {
		fmt.Printf("%+v\n", host.WordsOf(kind))
	}
	// Output:
	// {Noun:pull request Mark:# Host:GitHub}
	// {Noun:merge request Mark:! Host:GitLab}
}
