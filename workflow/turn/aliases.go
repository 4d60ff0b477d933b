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
