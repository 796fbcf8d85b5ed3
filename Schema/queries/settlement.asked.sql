select last_value
from throng.settlement;
