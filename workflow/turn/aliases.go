package turn

import (
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/backport"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/lookback"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/pictures"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/background/warm"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// What works beside the turns, each from jobs of its own.
type (
	Porter       = backport.Porter
	Looker       = lookback.Looker
	Photographer = pictures.Photographer
	Warmer       = warm.Warmer
)

// The folders of sessions on this machine, and how long they are kept.
type (
	Folders   = folder.Folders
	Retention = folder.Retention
)

// IsRelease reports whether the branch of that name is a release by the patterns, and not one that the
// program pushed under its prefix.
func IsRelease(patterns []string, prefix, name string) bool {
	return lookback.IsRelease(patterns, prefix, name)
}
