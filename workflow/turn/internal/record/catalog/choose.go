package catalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/repository"
)

var namedRepository = regexp.MustCompile(`(?i)(?:\brepo:|\bin\s+)([A-Za-z0-9._/-]+)`)

// choose returns the name of the repository that a request is about: one that the text names
// (repo:shop, in shop), otherwise the channel's, otherwise the only one. It returns an empty string if
// a person has to be asked.
func choose(text, channel string, all []repository.Repository) string {
	for _, m := range namedRepository.FindAllStringSubmatch(text, -1) {
		for _, r := range all {
			if strings.EqualFold(strings.TrimRight(m[1], ".,;:!?"), r.Name) {
				return r.Name
			}
		}
	}
	var here []string
	for _, r := range all {
		if slices.Contains(r.Channels, channel) {
			here = append(here, r.Name)
		}
	}
	switch {
	case len(here) == 1:
		return here[0]
	case len(here) == 0 && len(all) == 1:
		return all[0].Name
	}
	return ""
}
