// Package home finds what a person's App Home holds (hometab has its types): the sessions that wait for that person's word,
// other sessions that the person may see, and today's spending. Who may see what is read from
// rows and from Slack at each look; if it cannot be read, nothing is shown.
package home
