package handlers

// argumentsVersion is raised when the meaning of Arguments changes.
const argumentsVersion = 1
