"""Results of the bundled collections by question type, on their dev sides."""
