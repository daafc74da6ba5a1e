"""The console: pages in the browser about what is known, who could hear it, and why."""
