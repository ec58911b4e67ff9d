"""Cases for every implementation that peers connect to: profiles zmtp-pub and zmtp-router run them."""
