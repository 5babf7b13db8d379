const int confine_prefork = 1;
