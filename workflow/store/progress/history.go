package progress

import "github.com/bobbinhq/bobbin/workflow/store/database"

// A History reads what was done in sessions.
type History struct{ DB *database.DB }
